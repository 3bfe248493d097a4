"""The wait after failures."""

from citestream.providers.embedding.backoff import FIRST_SECONDS, MOST_SECONDS, Backoff


def test_each_failure_doubles_the_wait_up_to_the_limit() -> None:
    now = 100.0
    backoff = Backoff(lambda: now)
    assert backoff.is_over()
    wait = FIRST_SECONDS
    for _ in range(2000):
        backoff.fail()
        now += wait - 0.001
        assert not backoff.is_over()
        now += 0.002
        assert backoff.is_over()
        wait = min(2 * wait, MOST_SECONDS)
