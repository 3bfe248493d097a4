"""Parameters that OpenAI's API does not have."""

import pytest

from citestream.providers.wire.openai_messages import other_params


@pytest.mark.parametrize(("given", "sent"), [(7, 7), (7.0, 7), (7.5, 7.5), (0, None), (0.0, None), (-1, None)])
def test_top_k_is_a_whole_number_and_left_out_if_it_means_all_tokens(given: float, sent: float | None) -> None:
    expected = {} if sent is None else {"top_k": sent}
    assert other_params(top_k=given) == dict.fromkeys(("anthropic", "ollama", "gemini"), expected)
    found = other_params(top_k=given)["anthropic"].get("top_k")
    assert type(found) is type(sent)
