"""Fixtures of the tests in Chromium."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import launched_browser


@pytest.fixture(scope="module")  # the event loop of an open browser breaks asynchronous tests that follow
def browser() -> Iterator[Browser]:
    with launched_browser() as browser:
        yield browser
