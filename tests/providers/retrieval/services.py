"""Answers of search services to one query, byte for byte as documented or recorded, each with two hits."""

RAGFLOW = b"""{"code":0,"data":{"chunks":[{"content":"The bridge was opened on 4 May 1932.",\
"content_ltks":"bridg open 4 may 1932",\
"dataset_id":"c7ee74067a2c11efb21c0242ac120006","document_id":"5c5999ec7be811ef9cab0242ac120005",\
"document_keyword":"bridge.pdf",\
"highlight":"The <em>bridge</em> was opened","id":"d78435d142bd5cf6704da62c778795c5","image_id":"",\
"important_keywords":[""],\
"positions":[[12,90,510,100,130]],"similarity":0.9669436601210759,"tag_kwd":[],"term_similarity":1.0,\
"vector_similarity":0.8898122004035864},{"content":"Bananas grow in the tropics.","document_id":"77",\
"document_keyword":"1.txt",\
"id":"b1","image_id":"","important_keywords":[""],"kb_id":"c7","positions":[""],"similarity":0.31,\
"term_similarity":0.2,\
"vector_similarity":0.56}],"doc_aggs":[{"count":1,"doc_id":"5c5999ec7be811ef9cab0242ac120005",\
"doc_name":"bridge.pdf"}],\
"total":2}}"""
RAGFLOW_FAILED = b'{"code":102,"message":"`dataset_ids` is required."}'

ELASTICSEARCH = b"""{"took":3,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":\
{"total":{"value":2,"relation":"eq"},"max_score":7.2081,"hits":[{"_index":"docs","_id":"fBk1","_score":7.2081,\
"_source":\
{"title":"Bridge","text":"The bridge was opened on 4 May 1932.","metadata":{"source":"bridge.pdf",\
"page":12}}},{"_index":"docs",\
"_id":"fBk2","_score":0.31,"_ignored":["x"],"_source":{"page_content":"Bananas grow in the tropics.",\
"url":"https://wiki.example/fruit"}}]}}"""
ELASTICSEARCH_FAILED = b"""{"error":{"root_cause":[{"type":"index_not_found_exception",\
"reason":"no such index [docs]",\
"resource.type":"index_or_alias","resource.id":"docs","index_uuid":"_na_","index":"docs"}],\
"type":"index_not_found_exception",\
"reason":"no such index [docs]","resource.type":"index_or_alias","resource.id":"docs","index_uuid":"_na_",\
"index":"docs"},\
"status":404}"""

QDRANT = b"""{"result":{"points":[{"id":"5c56c793-69f3-4fbf-87e6-c4bf54c28c26","version":3,"score":0.8421,"payload":\
{"page_content":"The bridge was opened on 4 May 1932.","metadata":{"source":"bridge.pdf","page":12,\
"title":"Bridge"}}},\
{"id":42,"version":3,"score":0.31,"payload":{"text":"Bananas grow in the tropics."}}]},"status":"ok","time":0.000912,\
"usage":{"hardware":null}}"""
QDRANT_FAILED = b"""{"status":{"error":"Not found: Collection `docs` doesn't exist!"},"time":4.2e-5}"""

WEAVIATE = b"""{"data":{"Get":{"Docs":[{"_additional":{"id":"0002bf92-80c8-5d94-af34-0d6c5fea1aaf",\
"score":"0.9669437"},\
"text":"The bridge was opened on 4 May 1932."},{"_additional":{"id":"2","score":"0.31"},\
"text":"Bananas grow in the tropics."}]}}}\n"""
WEAVIATE_FAILED = b"""{"data":{"Get":null},"errors":[{"locations":[{"column":3,"line":1}],\
"message":"Cannot query field \\"Docs\\" \
on type \\"GetObjectsObj\\".","path":null}]}"""

AZURE = b"""{"@odata.context":"https://s.search.windows.net/indexes('docs')/$metadata#docs(*)",\
"value":[{"@search.score":7.3617,\
"@search.rerankerScore":2.87,"@search.captions":[{"text":"opened on 4 May","highlights":"opened on <em>4 May</em>"}],\
"chunk_id":"7a_pages_0","parent_id":"7a","chunk":"The bridge was opened on 4 May 1932.","title":"Bridge"},\
{"@search.score":0.31,"id":"8","content":"Bananas grow in the tropics.","title":null}]}"""
AZURE_FAILED = b"""{"error":{"code":"","message":"The index 'docs' for service 's' was not found."}}"""
