// The database of this browser, which keeps the chats and their documents: https://www.w3.org/TR/IndexedDB/

const NAME = "citestream";
const STORES = ["chats", "contents", "documents"]; // titles for the list; questions and answers; files and their excerpts

let opened = null;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const store of STORES) request.result.createObjectStore(store, { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const storeOf = async (name, mode) => (await open()).transaction(name, mode).objectStore(name);

/** Return the record with an id, or undefined. */
export const read = async (store, id) => settled((await storeOf(store, "readonly")).get(id));

/** Return all records of a store. */
export const readAll = async (store) => settled((await storeOf(store, "readonly")).getAll());

/** Write a record. Throw an error if the storage of the browser is full. */
export const write = async (store, record) => settled((await storeOf(store, "readwrite")).put(record));

/** Remove the record with an id. */
export const remove = async (store, id) => settled((await storeOf(store, "readwrite")).delete(id));

/** Return the ids of all records of a store. */
export const ids = async (store) => settled((await storeOf(store, "readonly")).getAllKeys());

/** Return a new id. `crypto.randomUUID` exists only over HTTPS and on this machine. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
