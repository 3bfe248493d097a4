curl -s "$CITESTREAM/v1/chat/completions" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{
  "model": "extractive",
  "messages": [{"role": "user", "content": "How tall was the Saturn V, and which mission was struck by lightning?"}],
  "evidence": [
    {"id": "moon", "file_name": "moon.md", "text": "🚀 The Saturn V was 110.6 metres tall. It flew thirteen times."},
    {"id": "apollo", "title": "Apollo 12", "url": "https://example.org/apollo-12", "text": "Apollo 12 was struck by lightning twice."},
    {"id": "tides", "file_name": "tides.md", "text": "The tide turns about every six hours."}
  ]
}'
