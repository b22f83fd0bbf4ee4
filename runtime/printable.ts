/**
 * Characters that are not printable: control and format characters (which reverse, hide or join what is around them), line and paragraph
 * separators, and halves of surrogate pairs. No text that one person gives and another one sees may have any.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** True for a text of 1 to `limit` characters, all of them printable. */
export const isPrintable = (text: unknown, limit: number): text is string =>
  typeof text === 'string' && text !== '' && [...text].length <= limit && !UNPRINTABLE.test(text);
