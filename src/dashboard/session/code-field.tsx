import { Field } from '../parts/field.tsx';

/** Field for a code of the authenticator app, or a backup code. */
export function CodeField({ isOptional = false }: { readonly isOptional?: boolean }) {
  return (
    <Field
      name="code"
      label="Code"
      hint="Six digits from your authenticator app, or a backup code."
      autoComplete="one-time-code"
      inputMode="text"
      spellCheck={false}
      required={!isOptional}
      autoFocus
    />
  );
}
