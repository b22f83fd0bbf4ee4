type Members = Readonly<Record<string, unknown>>;
type IsSame = (value: unknown, wanted: unknown) => boolean;

const SHOWN_CHARACTERS = 100;

/**
 * Returns where a JSON value lacks expected parts: members of an object, entries of a list in any order; any other value must be equal.
 * Additional parts are allowed. Empty when nothing is missing.
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

/** Numbers are equal by their digits, whether read as number or bigint. */
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
