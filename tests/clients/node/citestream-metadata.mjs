// For `createOpenAICompatible({ metadataExtractor: citestreamMetadata })`: returns the references of the answer,
// as `providerMetadata.citestream.references` and `.grounding`.

const FIELDS = ["references", "grounding"];

function found(body) {
  const entries = FIELDS.filter((field) => body?.[field]).map((field) => [field, body[field]]);
  return entries.length ? Object.fromEntries(entries) : undefined;
}

export const citestreamMetadata = {
  async extractMetadata({ parsedBody }) {
    const citestream = found(parsedBody);
    return citestream && { citestream };
  },
  createStreamExtractor() {
    let citestream;
    return {
      processChunk(chunk) {
        citestream = found(chunk) ?? citestream;
      },
      buildMetadata() {
        return citestream && { citestream };
      },
    };
  },
};
