const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for the id of a key or a token in the form that the store prints it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
