"""Prompts in the formats of RAG hosts, with invented passages."""

import re
from dataclasses import dataclass
from typing import Any

from citestream.citation.evidence.hosts import MarkerSyntax

Messages = list[dict[str, Any]]

FERRY = "The Norland ferry carries 140 passengers and 22 cars."
HARBOUR = "The harbour of Skarvik was dredged in 2019."
QUESTION = "How many cars does the ferry carry?"


@dataclass(frozen=True, slots=True)
class Golden:
    """Messages of a host and the expected result of `recognise`."""

    host: str
    messages: Messages
    labels: tuple[str, ...]
    texts: tuple[str, ...] = (FERRY, HARBOUR)
    question: str = QUESTION
    syntax: MarkerSyntax = MarkerSyntax.NONE
    first_fields: tuple[tuple[str, Any], ...] = ()


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def tool(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": text}


OPEN_WEBUI_RULES = """### Task:
Respond to the user query using the provided context, incorporating inline citations in the format [id] \
**only when the <source> tag includes an explicit id attribute** (e.g., <source id="1">).

### Guidelines:
- If you don't know the answer, clearly state that.

### Output:
Provide a clear and direct response to the user's query.

"""
OPEN_WEBUI = f"""{OPEN_WEBUI_RULES}<context>
<source id="1" name="ferries.md" resource-type="file" resource-id="u1">{FERRY}</source>
<source id="2" name="harbours.md" resource-type="file" resource-id="u2">{HARBOUR}</source>
</context>

{QUESTION}"""
OPEN_WEBUI_ONE_FILE = OPEN_WEBUI.replace('id="2" name="harbours.md"', 'id="1" name="ferries.md"').replace("u2", "u1")
ATTACHED_FILES = """<attached_files>
<file type="file" id="u1" url="u1" content_type="text/plain" name="ferries.md"/>
<file type="file" id="u2" url="u2" content_type="text/plain" name="harbours.md"/>
</attached_files>

"""
RAGFLOW_KNOWLEDGE = f"""
------

ID: 0
├── Title: ferries.md
├── author: Port authority
└── Content:
{FERRY}

------

ID: 1
├── Title: harbours.md
└── Content:
{HARBOUR}"""
RAGFLOW_CITATIONS = """Based on the provided document or chat history, add citations to the input text.

# Citation Requirements:

- Use format: [ID:i] or [ID:i] [ID:j] for multiple sources

<context>
ID: 45
└── Content: The sky is blue.

ID: 46
└── Content: The grass is green.
</context>
"""
RAGFLOW_OPENING = "You are an intelligent assistant. Summarize the content of the knowledge base.\n"
RAGFLOW = f"""{RAGFLOW_OPENING}      Here is the knowledge base:
      {RAGFLOW_KNOWLEDGE}
      The above is the knowledge base.{RAGFLOW_CITATIONS}"""
RAGFLOW_QUOTED = f"""{RAGFLOW_OPENING}
      **Essential Rules:**
        - Your answer must be derived **solely** from this dataset: `{RAGFLOW_KNOWLEDGE}`.
        - **When information is available**: Summarize the content to give a detailed answer.
        - **Always consider** the entire conversation history.{RAGFLOW_CITATIONS}"""
RAGFLOW_HASHES = f"\nID: 317\n├── Title: ferries.md\n└── Content:\n{FERRY}\n\nID: 12\n└── Content:\n{HARBOUR}"
LLAMAINDEX = f"""Please provide an answer based solely on the provided sources. When referencing information from a \
source, cite the appropriate source(s) using their corresponding numbers.
For example:
Source 1:
The sky is red in the evening and blue in the morning.
Source 2:
Water is wet when the sky is red.
Query: When is water wet?
Answer: Water will be wet when the sky is red [2], which occurs in the evening [1].
Now it's your turn. Below are several numbered sources of information:
------
Source 1:
{FERRY}

Source 2:
{HARBOUR}

------
Query: {QUESTION}
Answer: """
LLAMAINDEX_FILES = LLAMAINDEX.replace(
    f"Source 1:\n{FERRY}", f"file_path: /docs/ferries.md\n\nSource 1:\n{FERRY}"
).replace(f"Source 2:\n{HARBOUR}", f"page_label: 3\nfile_path: /docs/harbours.md\n\nSource 2:\n{HARBOUR}")
LM_STUDIO = f"""The following citations were found in the files provided by the user:

Citation 1: "{FERRY}"

Citation 2: "{HARBOUR}"

Use the citations above to respond to the user query, only if they are relevant. Otherwise, respond to the best \
of your ability without them.

User Query:

{QUESTION}"""
CHERRY = f"""Please answer the question based on the reference materials

## Citation Rules:
- Please cite the context at the end of sentences when appropriate, in the format [number].

## My question is:

{QUESTION}

## Reference Materials:

```json
[
  {{"id": 1, "content": "{FERRY}", "sourceUrl": "https://example.org/ferries", "type": "url"}},
  {{"id": 2, "content": "{HARBOUR}", "sourceUrl": "file:///harbours.md", "type": "file"}}
]
```

Please respond in the same language as the user's question.
"""
PERPLEXICA = f"""You are an assistant that answers with citations in [number] notation.
<search_results note="These are the search results and assistant can cite these">
<result index=1 title=Ferries of Norland>{FERRY}</result>
<result index=2 title=Harbours>{HARBOUR}</result>
</search_results>
<widgets_result noteForAssistant="do not cite">Weather: 12 degrees</widgets_result>"""
LIBRECHAT_UPLOADS = f"""The user has attached 2 files to the conversation:

      <files>
              <file>
                <filename>ferries.md</filename>
                <type>text/plain</type>
              </file>
              <file>
                <filename>harbours.md</filename>
                <type>text/plain</type>
              </file>
        </files>

        A semantic search was executed with the user's message as the query, retrieving the following context inside \
<context></context> XML tags.

        <context>
          <file>
            <filename>ferries.md</filename>
            <context>
            <contextItem>
              <![CDATA[{FERRY}]]>
            </contextItem>
            <contextItem>
              <![CDATA[Ferries sail <b>every</b> hour; see <![CDATA[here]]>.]]>
            </contextItem>
            </context>
          </file>
          <file>
            <filename>harbours.md</filename>
            <context>
            <contextItem>
              <![CDATA[{HARBOUR}]]>
            </contextItem>
            </context>
          </file>
        </context>

        Use the context as your learned knowledge to better answer the user.
"""
LIBRECHAT_FILES = f"""The user has attached 2 files to the conversation:

          <file>
            <filename>ferries.md</filename>
            <context>
{FERRY}
            </context>
          </file>
          <file>
            <filename>harbours.md</filename>
            <context>
{HARBOUR}
            </context>
          </file>
          Use the context as your learned knowledge to better answer the user.
"""
LOBECHAT_OLD = f"""{QUESTION}

<knowledge_base_qa_info>
You are also a helpful assistant good answering questions related to Ports.
<knowledge_base_anwser_instruction>
- Note that passages might not be relevant to the question.
</knowledge_base_anwser_instruction>
<knowledge_bases>
<knowledge id="k1" name="Ports" type="knowledgeBase">All ports</knowledge>
</knowledge_bases>
<retrieved_chunks>
<retrieved_chunks_docstring>here are retrived chunks you can refer to:</retrieved_chunks_docstring>
<chunk fileId="f1" fileName="ferries.md" similarity="0.8"  pageNumber="3" >{FERRY}</chunk>
<chunk fileId="f2" fileName="harbours.md" similarity="0.7" >{HARBOUR}</chunk>
</retrieved_chunks>
<user_query>
<raw_query>{QUESTION}</raw_query>

<user_query>
</knowledge_base_qa_info>"""
AZURE_SYSTEM = "Answer only from the sources.\nPossible citations for current question: [a.pdf#page=2], [b.pdf#page=7]"
AZURE_USER = f"{QUESTION}\n\nSources:\na.pdf#page=2: {FERRY}\nb.pdf#page=7: {HARBOUR}"

GOLDEN = {
    "Open WebUI writes the context before the question": Golden(
        "open-webui",
        [user(OPEN_WEBUI)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("title", "ferries.md"), ("document_id", "u1")),
    ),
    "Open WebUI lists the uploaded files between the context and the question": Golden(
        "open-webui",
        [user(OPEN_WEBUI.replace(QUESTION, f"{ATTACHED_FILES}{QUESTION}"))],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "Open WebUI writes the context into the system message": Golden(
        "open-webui",
        [system(f"Be brief.\n{OPEN_WEBUI.removesuffix(QUESTION)}"), user(QUESTION)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "chunks of one file share a label in Open WebUI": Golden(
        "open-webui",
        [user(OPEN_WEBUI_ONE_FILE)],
        ("1", "1"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "earlier turns of Open WebUI are not read": Golden(
        "open-webui",
        [user(OPEN_WEBUI.replace("140", "10")), {"role": "assistant", "content": "22 [1]."}, user(OPEN_WEBUI)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "a text of several content parts is read as one": Golden(
        "open-webui",
        [{"role": "user", "content": [{"type": "text", "text": OPEN_WEBUI}, {"type": "image_url", "image_url": {}}]}],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "an empty source between others": Golden(
        "open-webui",
        [
            user(
                OPEN_WEBUI.replace('id="2"', 'id="3"').replace(
                    '<source id="3"', '<source id="2" name="empty.md" resource-type="file"></source>\n<source id="3"'
                )
            )
        ],
        ("1", "3"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "Perplexica does not quote its attributes": Golden(
        "perplexica",
        [system(PERPLEXICA), user(QUESTION)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("title", "Ferries of Norland"),),
    ),
    "LibreChat groups the passages of its uploads by file": Golden(
        "librechat",
        [system(LIBRECHAT_UPLOADS), user(QUESTION)],
        ("", "", ""),
        (FERRY, "Ferries sail <b>every</b> hour; see <![CDATA[here]]>.", HARBOUR),
        first_fields=(("file_name", "ferries.md"),),
    ),
    "LibreChat can send whole files": Golden(
        "librechat", [system(LIBRECHAT_FILES), user(QUESTION)], ("", ""), first_fields=(("file_name", "ferries.md"),)
    ),
    "LobeChat's knowledge base is a tool result, grouped by file": Golden(
        "lobechat",
        [
            user(QUESTION),
            tool(
                '<knowledge_base_search_results query="ferry" totalCount="2">\n'
                "<instruction>Here are the search results from the knowledge base.</instruction>\n"
                '<file id="f1" name="ferries.md" relevanceScore="0.8">\n'
                f'<chunk fileId="f1" fileName="ferries.md" similarity="0.8">{FERRY}</chunk>\n</file>\n'
                '<file id="f2" name="harbours.md" relevanceScore="0.7">\n'
                f'<chunk fileId="f2" fileName="harbours.md" similarity="0.7">{HARBOUR}</chunk>\n</file>\n'
                "</knowledge_base_search_results>"
            ),
        ],
        ("", ""),
        first_fields=(("document_id", "f1"), ("file_name", "ferries.md")),
    ),
    "two searches of LobeChat in one turn": Golden(
        "lobechat",
        [
            user(QUESTION),
            *(
                tool(
                    '<knowledge_base_search_results query="ferry" totalCount="1">\n'
                    '<file id="f" name="f.md" relevanceScore="0.8">\n'
                    f'<chunk fileId="f" fileName="f.md" similarity="0.8">{text}</chunk>\n</file>\n'
                    "</knowledge_base_search_results>"
                )
                for text in (FERRY, HARBOUR)
            ),
        ],
        ("", ""),
    ),
    "earlier versions of LobeChat append the passages to the question": Golden(
        "lobechat", [user(LOBECHAT_OLD)], ("", ""), first_fields=(("document_id", "f1"), ("file_name", "ferries.md"))
    ),
    "PrivateGPT lists nodes": Golden(
        "privategpt",
        [
            user(QUESTION),
            tool(f"<nodes>\n<node id='[AB12]'>{FERRY}</node>\n<node id='[CD34]'>{HARBOUR}</node>\n</nodes>"),
        ],
        ("AB12", "CD34"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "Chatbox attaches files": Golden(
        "chatbox",
        [
            user(
                f"{QUESTION}\n\n<ATTACHMENT_FILE>\n<FILE_NAME>ferries.md</FILE_NAME>\n<FILE_CONTENT>\n{FERRY}\n"
                f"</FILE_CONTENT>\n</ATTACHMENT_FILE>\n<ATTACHMENT_FILE>\n<FILE_NAME>harbours.md</FILE_NAME>\n"
                f"<FILE_CONTENT>\n{HARBOUR}\n</FILE_CONTENT>\n</ATTACHMENT_FILE>\n"
            )
        ],
        ("", ""),
        first_fields=(("file_name", "ferries.md"),),
    ),
    "documents as Anthropic advises": Golden(
        "anthropic-documents",
        [
            user(
                f'<documents>\n<document index="1">\n<source>ferries.md</source>\n<document_content>\n{FERRY}\n'
                f'</document_content>\n</document>\n<document index="2">\n<source>harbours.md</source>\n'
                f"<document_content>\n{HARBOUR}\n</document_content>\n</document>\n</documents>\n\n{QUESTION}"
            )
        ],
        ("", ""),
        first_fields=(("file_name", "ferries.md"),),
    ),
    "AnythingLLM ends its system message with the context": Golden(
        "anythingllm",
        [
            system(
                "Given the following conversation, answer.\nContext:\n    [CONTEXT 0]:\n<document_metadata>\n"
                f"sourceDocument: ferries.md\npublished: 2024\n</document_metadata>\n\n{FERRY}\n[END CONTEXT 0]\n\n\n"
                f"[CONTEXT 1]:\n{HARBOUR}\n[END CONTEXT 1]\n\n"
            ),
            user(QUESTION),
        ],
        ("0", "1"),
        first_fields=(("file_name", "ferries.md"),),
    ),
    "RAGFlow's labels begin at 0, and its example is not evidence": Golden(
        "ragflow",
        [system(RAGFLOW), user(QUESTION)],
        ("0", "1"),
        syntax=MarkerSyntax.RAGFLOW,
        first_fields=(("file_name", "ferries.md"),),
    ),
    "RAGFlow quotes the passages in its newer default prompt": Golden(
        "ragflow", [system(RAGFLOW_QUOTED), user(QUESTION)], ("0", "1"), syntax=MarkerSyntax.RAGFLOW
    ),
    "RAGFlow's prompt in another language": Golden(
        "ragflow",
        [system(f"以下是知识库：\n{RAGFLOW_KNOWLEDGE}\n        以上是知识库。{RAGFLOW_CITATIONS}"), user(QUESTION)],
        ("0", "1"),
        syntax=MarkerSyntax.RAGFLOW,
    ),
    "a prompt of RAGFlow that ends with the passages": Golden(
        "ragflow",
        [system(f"Be brief.{RAGFLOW_KNOWLEDGE}{RAGFLOW_CITATIONS}"), user(QUESTION)],
        ("0", "1"),
        syntax=MarkerSyntax.RAGFLOW,
    ),
    "an empty passage of RAGFlow": Golden(
        "ragflow",
        [
            system(RAGFLOW.replace("ID: 1", "ID: 2").replace("ID: 2", "ID: 1\n└── Content:\n\n\n------\n\nID: 2")),
            user(QUESTION),
        ],
        ("0", "2"),
        syntax=MarkerSyntax.RAGFLOW,
    ),
    "RAGFlow asks for no markers if quotes are off": Golden(
        "ragflow", [system(RAGFLOW.removesuffix(RAGFLOW_CITATIONS)), user(QUESTION)], ("0", "1")
    ),
    "a passage of RAGFlow contains a rule and the closing words": Golden(
        "ragflow",
        [system(RAGFLOW.replace(FERRY, f"{FERRY}\n------\nThe above is old.\n")), user(QUESTION)],
        ("0", "1"),
        (f"{FERRY}\n------\nThe above is old.", HARBOUR),
        syntax=MarkerSyntax.RAGFLOW,
    ),
    "agents of RAGFlow have hashes as labels": Golden(
        "ragflow",
        [system(RAGFLOW_CITATIONS), user(QUESTION), tool(RAGFLOW_HASHES)],
        ("317", "12"),
        syntax=MarkerSyntax.RAGFLOW,
        first_fields=(("file_name", "ferries.md"),),
    ),
    "an agent of RAGFlow has a finished text cited": Golden(
        "ragflow",
        [
            system(f"You are an agent.\n{RAGFLOW_CITATIONS}\n\n<context>\n{RAGFLOW_HASHES}\n\n</context>\n"),
            user(QUESTION),
        ],
        ("317", "12"),
        syntax=MarkerSyntax.RAGFLOW,
    ),
    "LlamaIndex shows examples before its sources": Golden(
        "llamaindex-citation", [user(LLAMAINDEX)], ("1", "2"), syntax=MarkerSyntax.BRACKETS
    ),
    "LlamaIndex writes the metadata of a document before its label": Golden(
        "llamaindex-citation",
        [user(LLAMAINDEX_FILES)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("file_name", "/docs/ferries.md"),),
    ),
    "LlamaIndex refines an answer": Golden(
        "llamaindex-citation",
        [
            user(
                LLAMAINDEX.replace(
                    "Now it's your turn. ", "Now it's your turn. We have provided an existing answer: 22."
                ).replace(
                    "of information:\n", "of information. Use them to refine the existing answer.\nBegin refining!\n"
                )
            )
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "a source of LlamaIndex contains a rule": Golden(
        "llamaindex-citation",
        [user(LLAMAINDEX.replace(FERRY, f"{FERRY}\n------\nThe end."))],
        ("1", "2"),
        (f"{FERRY}\n------\nThe end.", HARBOUR),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "LM Studio quotes citations": Golden("lm-studio", [user(LM_STUDIO)], ("1", "2")),
    "Quivr forbids markers": Golden(
        "quivr",
        [
            system(
                "You have access to the following context to complete the task:\n"
                f"Filename: ferries.md\nSource: 0\n {FERRY}\nFilename: harbours.md\nSource: 1\n {HARBOUR}"
            ),
            user(QUESTION),
        ],
        ("0", "1"),
        first_fields=(("file_name", "ferries.md"),),
    ),
    "PrivateGPT lists citation identifiers": Golden(
        "privategpt",
        [
            user(QUESTION),
            tool(
                f"Citation identifier [AB12]\n---\nContent:\n{FERRY}\n===\n"
                f"Citation identifier [CD34]\n---\nContent:\n{HARBOUR}\n===\n"
            ),
        ],
        ("AB12", "CD34"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "two results of PrivateGPT in one turn, and a passage with a rule": Golden(
        "privategpt",
        [
            user(QUESTION),
            tool(f"Citation identifier [AB12]\n---\nContent:\n{FERRY}\n===\n\nThe end.\n===\n"),
            tool(f"Citation identifier [CD34]\n---\nContent:\n{HARBOUR}\n===\n"),
        ],
        ("AB12", "CD34"),
        (f"{FERRY}\n===\n\nThe end.", HARBOUR),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "a document of Haystack contains a question": Golden(
        "haystack",
        [
            user(
                f"Documents:\nDocument 1: {FERRY}\nQuestion: Which?\nDocument 2: {HARBOUR}\n\n"
                f"Question: {QUESTION}\nAnswer:"
            )
        ],
        ("1", "2"),
        (f"{FERRY}\nQuestion: Which?", HARBOUR),
    ),
    "Haystack numbers documents": Golden(
        "haystack",
        [
            user(
                f"Answer from the documents.\nDocuments:\nDocument 1: {FERRY}\nDocument 2: {HARBOUR}\n\n"
                f"Question: {QUESTION}\nAnswer:"
            )
        ],
        ("1", "2"),
    ),
    "LibreChat's file search gives anchors": Golden(
        "librechat",
        [
            user(QUESTION),
            tool(
                f"File: ferries.md\nAnchor: \\ue202turn0file0 (ferries.md)\nRelevance: 0.8\nContent: {FERRY}\n---\n"
                f"File: harbours.md\nAnchor: \\ue202turn0file1 (harbours.md)\nRelevance: 0.7\nContent: {HARBOUR}"
            ),
        ],
        ("\\ue202turn0file0", "\\ue202turn0file1"),
        syntax=MarkerSyntax.ANCHOR,
        first_fields=(("file_name", "ferries.md"),),
    ),
    "Cherry Studio writes a JSON array in a fence": Golden(
        "cherry-studio",
        [user(CHERRY)],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("url", "https://example.org/ferries"),),
    ),
    "Onyx sends the documents in a message of their own": Golden(
        "onyx",
        [
            user(
                "Here are some documents provided for context, they may not all be relevant:\n"
                f'{{"documents": [{{"document": 1, "title": "ferries.md", "contents": "{FERRY}"}}, '
                f'{{"document": 2, "contents": "{HARBOUR}"}}]}}'
            ),
            user(QUESTION),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("title", "ferries.md"),),
    ),
    "azure-search-openai-demo ends the question with sources": Golden(
        "azure-search-openai-demo",
        [system(AZURE_SYSTEM), user(AZURE_USER)],
        ("a.pdf#page=2", "b.pdf#page=7"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("page_number", 2),),
    ),
    "azure-search-openai-demo removes only line feeds from its sources": Golden(
        "azure-search-openai-demo",
        [system(AZURE_SYSTEM), user(AZURE_USER.replace("and 22", "\u2028and 22"))],
        ("a.pdf#page=2", "b.pdf#page=7"),
        (FERRY.replace("and 22", "\u2028and 22"), HARBOUR),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "an empty entry of Cherry Studio": Golden(
        "cherry-studio",
        [user(CHERRY.replace("[\n", '[\n  {"id": 7, "content": "", "type": "url"},\n'))],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
}

UNRECOGNISED = {
    "a plain question": [user(QUESTION)],
    "no messages": [],
    "a question about the format": [user('What does <source id="1"> mean in a <context> of Open WebUI?')],
    "a pasted prompt after a question": [user(f"Why does this prompt not work?\n\n{OPEN_WEBUI}")],
    "a pasted prompt in fenced code": [user(f"### Task: explain\n```\n{OPEN_WEBUI}\n```")],
    "a pasted prompt in a quotation": [user("\n".join(f"> {line}" for line in OPEN_WEBUI.splitlines()))],
    "a quoted line that begins passages": [
        user(f"> Documents:\nDocument 1: {FERRY}\nDocument 2: {HARBOUR}\n\nQuestion: {QUESTION}\nAnswer:")
    ],
    "a prompt in an earlier turn": [user(OPEN_WEBUI), {"role": "assistant", "content": "22 [1]."}, user("And people?")],
    "a prompt that the assistant wrote": [user("Hi"), {"role": "assistant", "content": OPEN_WEBUI}, user(QUESTION)],
    "Open WebUI's template without any source": [user(f"{OPEN_WEBUI_RULES}<context>\n\n</context>\n\n{QUESTION}")],
    "empty sources": [
        user(f'{OPEN_WEBUI_RULES}<context>\n<source id="1" name="a"></source>\n</context>\n\n{QUESTION}')
    ],
    "empty uploads of LibreChat": [
        system(re.sub(r"<!\[CDATA\[.*\]\]>", "<![CDATA[]]>", LIBRECHAT_UPLOADS)),
        user(QUESTION),
    ],
    "only the instruction, not the wrapper": [user(f"{OPEN_WEBUI_RULES}{QUESTION}")],
    "RAGFlow's example without a knowledge base": [system(RAGFLOW.partition("# Citation")[2]), user(QUESTION)],
    "passages of RAGFlow without an end": [system(f"Be brief.{RAGFLOW_KNOWLEDGE}\nBe kind."), user(QUESTION)],
    "a result of RAGFlow's form without its rules": [system("Be brief."), user(QUESTION), tool(RAGFLOW_HASHES)],
    "LlamaIndex's examples alone": [user(LLAMAINDEX.partition("Now it's")[0])],
    "sources whose names no system message lists": [system("Be brief."), user(AZURE_USER)],
    "a list of the user under the word Sources": [user(f"{QUESTION}\n\nSources:\n- a book\n- a film")],
    "a JSON array of the user's own": [user('Sum these up:\n```json\n[{"id": 1, "content": "One."}]\n```')],
}
