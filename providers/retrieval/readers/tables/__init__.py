"""Tables as text, from the formats that have them."""
