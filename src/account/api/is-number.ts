const NUMBER = /^[1-9]\d{0,17}$/;

/** True for the number of a record or an entry, which has 64 bits. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text);
}
