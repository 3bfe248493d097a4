"""Tokens of chat templates are neutralised in evidence, and ordinary text is not changed."""

import html
import re
from pathlib import Path

import pytest

from citestream.citation.prompt.sanitize import LONG_BLOCK_CHARACTERS, sanitize

# Tokens of chat templates: those of one family are neutralised in the same way
CHAT_TOKENS = {
    "Nemotron": "<extra_id_0>System <SPECIAL_11> <SPECIAL_10>",
    "EXAONE": "[|system|] [|endofturn|] [|user|] [|assistant|] [BOS]",
    "Seed": "<seed:bos> <seed:eos> <seed:think> </seed:tool_call>",
    "GLM": "[gMASK]<sop> [sMASK] <arg_key> </arg_value> <eop>",
    "FunctionGemma": "<start_function_call> <end_function_call> <start_function_declaration> <start_function_response>",
    "Command": "<END_OF_TURN_TOKEN> <START_OF_TURN_TOKEN>",
    "LongCat": "<longcat_user> <longcat_assistant> <longcat_system> </longcat_tool_call>",
    "MiniMax": "<minimax:tool_call> </minimax:tool_call> ]~b]system ]~!b[ [e~[",
    "Claude": '<function_calls> </function_calls> <invoke name="f"> </invoke> <function_results> <tool_use>',
    "Mistral": "[THINK] [/THINK] [TOOL_CONTENT] [/TOOL_CONTENT] [SYSTEM_PROMPT] [CALL_ID]",
    "Qwen": "<function=search> <tool_call> <tool_response>",
    "Baichuan": "<reserved_106> <reserved107>",
    "TeleChat": "<_user> <_bot> <_end>",
    "prompts": '<SYSTEM_PROMPT> </system_prompt> <source id=1> <source id="2"> <document> <document index="1">',
}


TOKEN = re.compile(r"<[^>]*>|\[\|?/?\w+\|?\]|\]~!?b[\]\[]|\[e~\[")


@pytest.mark.parametrize("tokens", CHAT_TOKENS.values(), ids=CHAT_TOKENS)
def test_no_token_of_a_chat_template_stays(tokens: str) -> None:
    for token in TOKEN.findall(tokens):
        for case in (token, f"a{token}b", f"{'a' * LONG_BLOCK_CHARACTERS}{token}"):
            assert len(sanitize(case)) == len(case)
            assert token not in sanitize(case)
    assert "<" not in sanitize(tokens)


ORDINARY = """
<html><head><title>A</title></head><body><video controls><source src="a.mp4" type="video/mp4"></video></body></html>
<picture><source srcset="a.webp"><img src="a.png"></picture>
<details><summary>More</summary></details> <time datetime="1">
<my-element> <slot name="a"> <input type="text" required> <th scope="col"> <sup>2</sup>
<sub>2</sub> <em> <strike> <small>
std::vector<size_t> a; std::map<std::string, my_type> b; Vec<u8> HashMap<String, user_id>
Option<Box<dyn Error>> List<T> a<b
#include <stdio.h> #include <sys/types.h> template <typename T> x << 2; y >> 3; if (a < b && c > d) a <- b <= c <> d
ssh <remote_user>@<host> --file=<file_name> <start_time> <end_date> <begin_offset> <tool_name>
<function_name> <system_name>
usage: tool [OPTIONS] COMMAND [ARGS]... [-h] [--think] [file ...] [PREFIX] [IMG] cfg["call_id"]
a[call_id] [model_settings]
let a = [|1; 2; 3|] [|x|] row[a|b] | a | b | [[wiki|link]] [e~g] x]~y ]~ [text](https://a.b) - [ ] task - [x] done
<xs:element name="a"> <soap:Envelope> <svg:rect> <dc:title> <rdf:RDF> <parameter name="a"> <entry key="id"> <sources>
<https://example.org/a_b> <mailto:a@b.c> <ada@example.org> <!-- <a> --> <!DOCTYPE html> <?xml
version="1.0"?> <![CDATA[a]]>
<document-fragment> <documentation> <functional> <invoker> <thing> <toolbar> <userland> <models>
<specialist> <modelling>
"""


def test_html_code_and_placeholders_stay() -> None:
    assert [sanitize(line) for line in ORDINARY.splitlines()] == ORDINARY.splitlines()


LIBRARY = Path(html.__file__).parents[1]
CORPUS = [*LIBRARY.glob("*.py"), *LIBRARY.glob("[ehlux]*/*.py")]
TAGS_OF_TEMPLATES = re.compile(
    r"<\s?/?\s?(?:s|unk|think|system|user|human|model|instructions?|tools|mask|sep|pad)\b", re.IGNORECASE
)


def test_the_code_of_the_standard_library_stays() -> None:
    """Except for the few lines with tags such as `<user>`, which chat templates also use."""
    texts = [path.read_text("utf-8", "replace") for path in CORPUS]
    assert sum(map(len, texts)) > 2_000_000
    lines = [line for text in texts for line in text.splitlines() if "<" in line and not TAGS_OF_TEMPLATES.search(line)]
    assert [line for line in lines if sanitize(line).count("‹") != line.count("‹")] == []
