/** The slot of a notification, if it has one. */
export const slotOf = (result: unknown): bigint | undefined => {
  if (typeof result === 'bigint') return result;
  if (!isObject(result)) return undefined;
  return asSlot(isObject(result.context) ? result.context.slot : result.slot);
};

/** A decoded slot. */
export const asSlot = (value: unknown): bigint | undefined => (typeof value === 'bigint' ? value : undefined);

/** True when a value has the member at the path. */
export const hasMember = (value: unknown, [step, ...rest]: readonly string[]): boolean =>
  step === undefined || (isObject(value) && Object.hasOwn(value, step) && hasMember(value[step], rest));

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
