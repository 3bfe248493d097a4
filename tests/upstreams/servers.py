"""Streams of OpenAI-compatible servers byte for byte, with the fields that each adds to those of OpenAI or leaves out.

The text of all streams is `TEXT`. The structure comes from the source or documentation of each server, not the values.
"""

import json
from typing import Any

TEXT = "Water boils at 100 °C. Ice melts at 0 °C."
PIECES = ("Water boils", " at 100 °C", ". Ice melts at", " 0 °C.")


def data(*events: dict[str, Any], done: bool = True, spaced: bool = False) -> bytes:
    """Return events as most servers write them. `spaced`: as Python's `json.dumps` does, with ASCII escapes."""
    written = [json.dumps(e) if spaced else json.dumps(e, separators=(",", ":"), ensure_ascii=False) for e in events]
    return "".join(f"data: {one}\n\n" for one in written).encode() + (b"data: [DONE]\n\n" if done else b"")


def tokens(text: str) -> dict[str, Any]:
    top = [{"token": text, "logprob": -0.1, "bytes": [*text.encode()]}, {"token": "?", "logprob": -3.0, "bytes": None}]
    return {**top[0], "top_logprobs": top}


def openai() -> bytes:
    """Two interleaved choices, log-probabilities, parallel tool calls in one choice, detailed usage, and padding."""
    envelope = {
        "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
        "object": "chat.completion.chunk",
        "created": 1741570283,
        "model": "gpt-4.1-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_44added55e",
    }

    def one(index: int, delta: dict[str, Any], reason: str | None = None, logprobs: Any = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": reason}
        return {**envelope, "choices": [choice], "usage": None, "obfuscation": "kq3V"}

    events = [one(at, {"role": "assistant", "content": "", "refusal": None}) for at in (0, 1)]
    for text in PIECES:
        events += [one(at, {"content": text}, None, {"content": [tokens(text)], "refusal": None}) for at in (0, 1)]
    for at, (name, city) in enumerate((("weather", "Bern"), ("time", "Zürich"))):
        function = {"name": name, "arguments": ""}
        events.append(
            one(1, {"tool_calls": [{"index": at, "id": f"call_{at}", "type": "function", "function": function}]})
        )
        events += [
            one(1, {"tool_calls": [{"index": at, "function": {"arguments": part}}]})
            for part in ('{"city":', f'"{city}"}}')
        ]
    usage = {
        "prompt_tokens": 19,
        "completion_tokens": 24,
        "total_tokens": 43,
        "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 4, "accepted_prediction_tokens": 2, "audio_tokens": 0},
    }
    events += [one(0, {}, "stop"), one(1, {}, "tool_calls"), {**envelope, "choices": [], "usage": usage}]
    return data(*events)


def openai_refusal() -> bytes:
    """A refusal instead of text, with its log-probabilities."""
    envelope = {"id": "chatcmpl-R", "object": "chat.completion.chunk", "created": 1741570283, "model": "gpt-4.1"}

    def one(delta: dict[str, Any], reason: str | None = None, logprobs: Any = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": reason}
        return {**envelope, "choices": [choice]}

    chunks = [one({"refusal": text}, None, {"content": None, "refusal": [tokens(text)]}) for text in ("I can", "not.")]
    return data(one({"role": "assistant", "content": "", "refusal": None}), *chunks, one({}, "stop"))


def openai_audio() -> bytes:
    """Audio data and its transcript, in fragments."""
    envelope = {"id": "chatcmpl-A", "object": "chat.completion.chunk", "created": 1741570283, "model": "gpt-audio"}
    audio: list[dict[str, Any]] = [
        {"id": "audio_68", "transcript": "Water "},
        {"transcript": "boils."},
        {"data": "AAEC"},
        {"data": "AwQF"},
        {"expires_at": 1741573883},
    ]
    deltas = [{"role": "assistant", "content": None, "refusal": None}, *({"audio": one} for one in audio)]
    events = [{**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    return data(*events, {**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


def openai_search() -> bytes:
    """A search model: annotations at the end of the text, without an index."""
    envelope = {"id": "chatcmpl-S", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-search-preview"}
    note = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 9, "title": "T", "url": "https://o.org"},
    }
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "refusal": None},
        *({"content": text} for text in PIECES),
        {"annotations": [note]},
    ]
    events = [{**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    return data(*events, {**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


def azure() -> bytes:
    """Results of content filters: for the prompt before any choice, for each piece, and late with an empty envelope."""
    envelope = {
        "created": 1741570283,
        "id": "chatcmpl-Az",
        "model": "gpt-4o-2024-11-20",
        "object": "chat.completion.chunk",
    }
    safe = {"hate": {"filtered": False, "severity": "safe"}, "violence": {"filtered": False, "severity": "safe"}}
    prompt = {
        "choices": [],
        "created": 0,
        "id": "",
        "model": "",
        "object": "",
        "prompt_filter_results": [
            {"prompt_index": 0, "content_filter_results": {**safe, "jailbreak": {"detected": False}}}
        ],
    }

    def one(delta: dict[str, Any], reason: str | None = None, found: Any = None) -> dict[str, Any]:
        choice = {
            "content_filter_results": found or {},
            "delta": delta,
            "finish_reason": reason,
            "index": 0,
            "logprobs": None,
        }
        return {"choices": [choice], **envelope, "system_fingerprint": "fp_ee1d74bde0"}

    late = {
        "choices": [
            {
                "content_filter_offsets": {"check_offset": 44, "start_offset": 44, "end_offset": 198},
                "content_filter_results": {"self_harm": {"filtered": False, "severity": "low"}},
                "finish_reason": None,
                "index": 0,
            }
        ],
        "created": 0,
        "id": "",
        "model": "",
        "object": "",
    }
    texts = [one({"content": text}, None, safe if at == 0 else None) for at, text in enumerate(PIECES)]
    opening = one({"content": "", "refusal": None, "role": "assistant"})
    return data(prompt, opening, *texts, late, one({}, "stop"), late)


def openrouter() -> bytes:
    """Comments before the first token, reasoning in two fields, additional fields on every chunk and in the usage."""
    envelope = {
        "id": "gen-1741570283-Xy",
        "provider": "Fireworks",
        "model": "deepseek/deepseek-r1",
        "object": "chat.completion.chunk",
        "created": 1741570283,
    }

    def one(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "native_finish_reason": reason, "logprobs": None}
        return {**envelope, "choices": [choice]}

    def thought(text: str, **more: Any) -> dict[str, Any]:
        detail = {"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0, **more}
        return one({"role": "assistant", "content": "", "reasoning": text, "reasoning_details": [detail]})

    signed = {"type": "reasoning.text", "signature": "ErUBCkYIBxgC", "format": "anthropic-claude-v1", "index": 0}
    usage = {
        "prompt_tokens": 13,
        "completion_tokens": 40,
        "total_tokens": 53,
        "cost": 0.00012,
        "is_byok": False,
        "cost_details": {"upstream_inference_cost": None},
    }
    events = [
        thought("Some"),
        thought(" physics."),
        one({"role": "assistant", "content": "", "reasoning": None, "reasoning_details": [signed]}),
        *(one({"role": "assistant", "content": text}) for text in PIECES),
        one({"role": "assistant", "content": ""}, "stop"),
        {
            **envelope,
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
            "usage": usage,
        },
    ]
    return b": OPENROUTER PROCESSING\n\n" * 3 + data(*events)


def vllm() -> bytes:
    """Token ids and usage on every chunk, reasoning, and the last text in the chunk with the finish reason."""
    envelope = {"id": "chatcmpl-7f", "object": "chat.completion.chunk", "created": 1741570283, "model": "qwen3"}

    def one(delta: dict[str, Any], ids: list[int] | None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, "token_ids": ids, **more}
        usage = {"prompt_tokens": 9, "total_tokens": 12, "completion_tokens": 3}
        return {**envelope, "choices": [choice], "usage": usage}

    events = [
        {**one({"role": "assistant", "content": ""}, None), "prompt_token_ids": [151644, 872, 198]},
        one({"reasoning": "They ask"}, [1, 2]),
        one({"reasoning": " about water."}, [3]),
        *(one({"content": text}, [10 + at, 20 + at]) for at, text in enumerate(PIECES[:-1])),
        one({"content": PIECES[-1]}, [30, 31], finish_reason="stop", stop_reason=None),
        {**envelope, "choices": [], "usage": {"prompt_tokens": 9, "total_tokens": 20, "completion_tokens": 11}},
    ]
    return data(*events)


def llama_cpp() -> bytes:
    """Progress of the prompt, timings on every token, and no `[DONE]`, as in older versions."""
    envelope = {
        "created": 1741570283,
        "id": "chatcmpl-Ll",
        "model": "gemma-3-1b",
        "system_fingerprint": "b6123-8ad7b3e6",
        "object": "chat.completion.chunk",
    }

    def one(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
        return {"choices": [{"finish_reason": reason, "index": 0, "delta": delta}], **envelope, **more}

    timings = {"prompt_n": 12, "prompt_ms": 40.1, "predicted_n": 1, "predicted_per_second": 31.5, "cache_n": 3}
    events = [
        one(
            {"role": "assistant", "content": None},
            prompt_progress={"total": 12, "cache": 3, "processed": 12, "time_ms": 40},
        ),
        one({"reasoning_content": "Hm."}),
        *(one({"content": text}, timings={**timings, "predicted_n": at}) for at, text in enumerate(PIECES)),
        one({}, "stop"),
        {
            **envelope,
            "choices": [],
            "usage": {"completion_tokens": 12, "prompt_tokens": 15, "total_tokens": 27},
            "timings": {**timings, "predicted_n": 12},
        },
    ]
    return data(*events, done=False)


def lm_studio() -> bytes:
    """A separate field for reasoning, tool calls with arguments in fragments, and statistics in addition to usage."""
    envelope = {
        "id": "chatcmpl-lm5v",
        "object": "chat.completion.chunk",
        "created": 1741570283,
        "model": "qwen3-4b",
        "system_fingerprint": "qwen3-4b",
    }

    def one(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

    call = {"index": 0, "id": "365174485", "type": "function", "function": {"name": "weather", "arguments": ""}}
    stats = {"tokens_per_second": 43.7, "time_to_first_token": 0.6, "stop_reason": "toolCalls"}
    events = [
        one({"role": "assistant", "reasoning_content": "Let me"}),
        one({"reasoning_content": " see."}),
        *(one({"role": "assistant", "content": text}) for text in PIECES),
        one({"tool_calls": [call]}),
        one({"tool_calls": [{"index": 0, "function": {"arguments": '{"city"'}}]}),
        one({"tool_calls": [{"index": 0, "function": {"arguments": ':"Bern"}'}}]}),
        one({}, "tool_calls"),
        {
            **envelope,
            "choices": [],
            "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
            "stats": stats,
        },
    ]
    return data(*events)


def litellm() -> bytes:
    """Every field of a delta, most of them null, reasoning in blocks, and fields of the provider."""
    envelope = {
        "id": "chatcmpl-li",
        "created": 1741570283,
        "model": "claude-sonnet-4",
        "object": "chat.completion.chunk",
    }
    empty: dict[str, Any] = {
        "refusal": None,
        "role": None,
        "function_call": None,
        "tool_calls": None,
        "audio": None,
        "images": [],
    }

    def one(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
        fields = {"provider_specific_fields": None, "content": None, **empty, **delta}
        return {
            **envelope,
            "system_fingerprint": None,
            "choices": [{"finish_reason": reason, "index": 0, "delta": fields, "logprobs": None}],
            "provider_specific_fields": None,
            "citations": None,
            **more,
        }

    blocks = [
        {"type": "thinking", "thinking": "Physics", "signature": ""},
        {"type": "thinking", "thinking": "", "signature": "Eu4BC"},
    ]
    events = [
        one({"role": "assistant", "reasoning_content": "Physics", "thinking_blocks": blocks[:1]}),
        one(
            {
                "reasoning_content": "",
                "thinking_blocks": blocks[1:],
                "provider_specific_fields": {"thinking_blocks": blocks[1:]},
            }
        ),
        *(one({"content": text}) for text in PIECES),
        one({}, "stop"),
        one({}, usage={"completion_tokens": 9, "prompt_tokens": 9, "total_tokens": 18, "cache_read_input_tokens": 4}),
    ]
    return data(*events, spaced=True)


def perplexity() -> bytes:
    """The text so far, the sources, the usage and the role on every chunk."""
    found = [
        {
            "title": "T",
            "url": "https://p.org",
            "date": "2026-01-01",
            "last_updated": None,
            "snippet": "s",
            "source": "web",
        }
    ]
    events, text_so_far = [], ""
    for at, text in enumerate(PIECES):
        text_so_far += text
        last = at == len(PIECES) - 1
        message = {"role": "assistant", "content": text_so_far}
        choice = {
            "index": 0,
            "finish_reason": "stop" if last else None,
            "message": message,
            "delta": {"role": "assistant", "content": text},
        }
        usage = {"prompt_tokens": 5, "completion_tokens": at + 1, "total_tokens": 6 + at, "search_context_size": "low"}
        events.append(
            {
                "id": "f3b1",
                "model": "sonar",
                "created": 1741570283,
                "usage": usage,
                "object": "chat.completion.done" if last else "chat.completion.chunk",
                "choices": [choice],
                "type": "end_of_stream" if last else "message",
                "related": found,
            }
        )
    return data(*events, done=False)


def mistral() -> bytes:
    """Content in parts (reasoning, text, references), and usage in the chunk with the finish reason."""
    envelope = {"id": "cmpl-mi", "object": "chat.completion.chunk", "created": 1741570283, "model": "magistral-medium"}

    def one(content: Any, reason: str | None = None, **more: Any) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": reason}], **more}

    events = [
        {**envelope, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
        one([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]),
        one([{"type": "text", "text": PIECES[0]}, {"type": "reference", "reference_ids": [0, "e2"]}]),
        *(one(text) for text in PIECES[1:]),
        one("", "stop", usage={"prompt_tokens": 4, "completion_tokens": 9, "total_tokens": 13}),
    ]
    return data(*events)


def deepseek() -> bytes:
    """Keep-alive comments, reasoning with null content before the text, and cache hits in the usage."""
    envelope = {"id": "ds-1", "object": "chat.completion.chunk", "created": 1741570283, "model": "deepseek-reasoner"}

    def one(delta: dict[str, Any], reason: str | None = None, usage: Any = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**envelope, "system_fingerprint": "fp_8802", "choices": [choice], "usage": usage}

    usage = {
        "prompt_tokens": 18,
        "completion_tokens": 30,
        "total_tokens": 48,
        "prompt_cache_hit_tokens": 10,
        "prompt_cache_miss_tokens": 8,
    }
    events = [
        one({"role": "assistant", "content": None, "reasoning_content": ""}),
        *(one({"content": None, "reasoning_content": text}) for text in ("Boiling", " point.")),
        *(one({"content": text, "reasoning_content": None}) for text in PIECES),
        one({"content": "", "reasoning_content": None}, "stop", usage),
    ]
    return b": keep-alive\n\n" + data(*events)


def groq() -> bytes:
    """An additional object in the first and the last chunk, which contains the usage."""
    envelope = {"id": "chatcmpl-gq", "object": "chat.completion.chunk", "created": 1741570283, "model": "llama-3.3-70b"}

    def one(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**envelope, "system_fingerprint": "fp_4196", "choices": [choice], **more}

    events = [
        one({"role": "assistant", "content": ""}, x_groq={"id": "req_01"}),
        *(one({"content": text}) for text in PIECES),
        one({}, "stop", x_groq={"id": "req_01", "usage": {"queue_time": 0.02, "total_tokens": 30}}),
    ]
    return data(*events)


def ollama_compatible() -> bytes:
    """Ollama's OpenAI-compatible API: reasoning, and the role on every chunk."""
    envelope = {
        "id": "chatcmpl-553",
        "object": "chat.completion.chunk",
        "created": 1741570283,
        "model": "qwen3:4b",
        "system_fingerprint": "fp_ollama",
    }

    def one(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}]}

    thoughts = [one({"content": "", "reasoning": text}) for text in ("Hm", ".")]
    return data(*thoughts, *(one({"content": text}) for text in PIECES), one({"content": ""}, "stop"))


STREAMS = {
    "OpenAI": openai(),
    "Azure OpenAI": azure(),
    "OpenRouter": openrouter(),
    "vLLM": vllm(),
    "llama.cpp": llama_cpp(),
    "LM Studio": lm_studio(),
    "LiteLLM": litellm(),
    "Perplexity": perplexity(),
    "Mistral": mistral(),
    "DeepSeek": deepseek(),
    "Groq": groq(),
    "Ollama's compatible route": ollama_compatible(),
    "an OpenAI search model": openai_search(),
    "an OpenAI model that speaks": openai_audio(),
    "an OpenAI model that refuses": openai_refusal(),
}
