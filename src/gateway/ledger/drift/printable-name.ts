const MAX_CHARACTERS = 64;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$+.-]*$/;
/** The prefix of Keyslot's own keys and tokens. */
const OWN_SECRET = /^ks_/;
/** Too short to be a key or an address. */
const SHORT_CHARACTERS = 11;
/** `base64`, `v2`. */
const MAX_NUMBERS = 2;
const MAX_DIGITS = 4;
/** On average: names in the specification have four. */
const MIN_WORD_LETTERS = 3.5;
/** `getNFTOwners`: get, NFT, Owners. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** No word has this many consonants in a row, and no name so few vowels. */
const CONSONANT_RUN = /[b-df-hj-np-tv-xz]{6}/i;
const MIN_VOWEL_SHARE = 0.2;

/** Replaces a text that is not a name. */
export const NO_NAME = '*';

/**
 * Returns a text from a node or client if it looks like a name: an identifier of at most 64 characters, made of words. Returns
 * `*` for anything else: it may be a value, or a key in the wrong place.
 */
export function printableName(text: string): string {
  const isName = text.length <= MAX_CHARACTERS && IDENTIFIER.test(text) && !OWN_SECRET.test(text);
  return isName && isOfWords(text) ? text : NO_NAME;
}

/** Random texts have many digits and capitals, and only short runs of letters. */
function isOfWords(text: string): boolean {
  if (text.length <= SHORT_CHARACTERS) return true;
  const words = text.match(WORD) ?? [];
  const letters = count(text, /[A-Za-z]/g);
  const isMostlySmall = 2 * count(text, /[a-z]/g) >= letters;
  const hasVowels = count(text, /[aeiouy]/gi) >= MIN_VOWEL_SHARE * letters;
  const isSpeakable = hasVowels && !words.some((word) => CONSONANT_RUN.test(word));
  const isNumbered = count(text, /[0-9]+/g) > MAX_NUMBERS || count(text, /[0-9]/g) > MAX_DIGITS;
  return isMostlySmall && isSpeakable && !isNumbered && letters >= MIN_WORD_LETTERS * words.length;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
