const MAX_CHARACTERS = 64;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$+.-]*$/;
/** What we hand out as keys and tokens begins so. */
const OWN_SECRET = /^ks_/;
/** Too short to be a key or an address. */
const SHORT_CHARACTERS = 11;
const MAX_DIGITS = 4;
/** On average: the names of the specification have four. */
const MIN_WORD_LETTERS = 3.5;
/** `getNFTOwners`: get, NFT, Owners. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** What stands for a text that is no name. */
export const NO_NAME = '*';

/**
 * A text that a node or a client sent, if it looks like a name: an identifier of at most 64 characters, made of words. Anything else is `*`: it may be a
 * value, or a key that was put in the wrong place.
 */
export function printableName(text: string): string {
  const isName = text.length <= MAX_CHARACTERS && IDENTIFIER.test(text) && !OWN_SECRET.test(text);
  return isName && isOfWords(text) ? text : NO_NAME;
}

/** Random texts have many digits and capitals, and what they have of words is short. */
function isOfWords(text: string): boolean {
  if (text.length <= SHORT_CHARACTERS) return true;
  const words = count(text, WORD);
  const letters = count(text, /[A-Za-z]/g);
  const isMostlySmall = 2 * count(text, /[a-z]/g) >= letters;
  return isMostlySmall && count(text, /[0-9]/g) <= MAX_DIGITS && letters >= MIN_WORD_LETTERS * words;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
