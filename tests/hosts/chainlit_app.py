"""A small RAG application: LlamaIndex's citation query engine with a page of Chainlit.

The only change for Citestream is the address of the model. Chainlit turns the name of an element in the text into a
link that opens the element.
"""

import os
from pathlib import Path

import chainlit as cl
from llama_index.core import SimpleDirectoryReader, SummaryIndex
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.llms.openai_like import OpenAILike

documents = SimpleDirectoryReader(input_files=sorted(Path(os.environ["LIBRARY"]).glob("*.txt"))).load_data()
llm = OpenAILike(model=os.environ["MODEL"], api_base=os.environ["OPENAI_BASE_URL"], api_key="none", is_chat_model=True)
engine = CitationQueryEngine.from_args(SummaryIndex.from_documents(documents), llm=llm, streaming=True)


@cl.on_message
async def answer(question: cl.Message) -> None:
    """Stream the answer. Add the passages that LlamaIndex numbered from 1."""
    message = cl.Message(content="")
    response = await engine.aquery(question.content)
    message.elements = [
        cl.Text(name=f"[{number}]", content=source.node.get_content(), display="side")
        for number, source in enumerate(response.source_nodes, 1)
    ]
    await message.send()  # the passages are sent first, so that a stopped answer has them
    async for token in response.async_response_gen():
        await message.stream_token(token)
    await message.update()
