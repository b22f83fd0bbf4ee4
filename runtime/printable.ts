/**
 * Characters that are not printable: control and format characters (which reverse or hide what is around them), line and paragraph
 * separators, and halves of surrogate pairs. No text that one person gives and another one sees may have any. The joiners U+200C and U+200D
 * are printable between letters or emoji: Persian and Hindi are written with them, and families of emoji.
 */
export const UNPRINTABLE =
  /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?<![\p{L}\p{M}\p{Emoji}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Emoji}]))/u;

/** True for a text of 1 to `limit` characters, all of them printable. */
export const isPrintable = (text: unknown, limit: number): text is string =>
  typeof text === 'string' && text !== '' && [...text].length <= limit && !UNPRINTABLE.test(text);
