curl -s "$CITESTREAM/v1/references/$ID"
