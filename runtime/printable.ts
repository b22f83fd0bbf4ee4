/**
 * Characters that are not printable: control and format characters (which reverse or hide what is around them), line and paragraph
 * separators, halves of surrogate pairs, and characters that show nothing (Unicode's Default_Ignorable_Code_Point, such as U+3164, and the
 * blank U+2800). No text from one person that another one sees may contain any. Joiners and variation selectors are printable where they
 * shape the preceding character: Persian, Hindi and Mongolian are written with them, and so are families of emoji.
 */
export const UNPRINTABLE = new RegExp(
  `(?:${[
    '(?![\\u200c\\u200d\\u180b-\\u180d\\ufe00-\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{DI}\\u2800]',
    '(?<![\\p{L}\\p{M}\\p{Emoji}])[\\u200c\\u200d]',
    '[\\u200c\\u200d](?![\\p{L}\\p{M}\\p{Emoji}])',
    '(?<![\\p{L}\\p{N}\\p{S}\\p{P}\\p{Emoji}])[\\u180b-\\u180d\\ufe00-\\ufe0f]',
  ].join('|')})`,
  'u',
);

/** A text that shows nothing: spaces of any kind, such as U+00A0, and line feeds. */
export const BLANK = /^[\p{Z}\n]+$/u;

/** True for a text of 1 to `limit` characters, all of them printable, that shows something. */
export const isPrintable = (text: unknown, limit: number): text is string =>
  typeof text === 'string' &&
  text !== '' &&
  [...text].length <= limit &&
  !UNPRINTABLE.test(text) &&
  !BLANK.test(text);
