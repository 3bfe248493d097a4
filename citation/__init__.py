"""Citations for streamed answers: text, evidence and numbers in; cited sentences and references out.

Pure: no I/O, no asyncio, no SDK, no clock. Only the standard library and numpy.
"""
