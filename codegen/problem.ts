/**
 * A problem in a spec document. `pointer` is the JSON pointer in the file ('' is the whole file). A `blocking` problem makes the file
 * unusable: rules that need it are skipped.
 */
export type Problem = {
  readonly file: string;
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
  readonly blocking: boolean;
};

/** One line for the terminal: file#pointer: what (rule). */
export const printProblem = ({ file, pointer, message, rule }: Problem): string =>
  `${file}#${pointer}: ${message} (${rule})`;

/** Appends one step to a JSON pointer (RFC 6901 escaping). */
export const pointerTo = (pointer: string, ...steps: readonly (string | number)[]): string =>
  steps.reduce<string>(
    (path, step) => `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
