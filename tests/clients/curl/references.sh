curl -s -H "Authorization: Bearer $KEY" "$CITESTREAM/v1/references/$ID"
