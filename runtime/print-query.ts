/** Query parameters by name; undefined ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>;

/** The query of a URL, with its question mark; empty without a parameter. */
export const printQuery = (values: QueryValues): string => {
  const parameters = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
};
