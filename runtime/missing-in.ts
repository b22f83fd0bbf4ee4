type Members = Readonly<Record<string, unknown>>;
type IsSame = (value: unknown, wanted: unknown) => boolean;

const SHOWN_CHARACTERS = 100;

/**
 * Where a JSON value lacks what is wanted of it: of an object these members, of a list these entries in any order; anything
 * else has to be the same. What is not wanted may be there. Empty when nothing is missing.
 */
export const missingIn = (
  value: unknown,
  wanted: unknown,
  at = 'result',
  isSame: IsSame = isSameValue,
): readonly string[] => {
  if (isSame(value, wanted)) return [];
  if (Array.isArray(wanted) && Array.isArray(value)) {
    const missing = wanted.filter(
      (each) => !value.some((item) => missingIn(item, each, at, isSame).length === 0),
    );
    return missing.map((each) => `${at} has no ${shown(each)}`);
  }
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).flatMap(([name, member]) =>
      missingIn(value[name], member, `${at}/${name}`, isSame),
    );
  return [`${at} is ${shown(value)}, not ${shown(wanted)}`];
};

/** Numbers are the same by their digits, whether they were read as number or bigint. */
export const isSameValue: IsSame = (value, wanted) =>
  value === wanted ||
  (typeof value === 'bigint' && Number.isInteger(wanted) && String(value) === String(wanted)) ||
  (typeof wanted === 'bigint' && Number.isInteger(value) && String(value) === String(wanted));

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => {
  if (value === undefined) return 'absent';
  if (typeof value === 'bigint') return String(value);
  const text = JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? String(member) : member,
  );
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
};
