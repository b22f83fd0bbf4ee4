import { Field } from '../parts/field.tsx';
import { PASSWORD_LIMIT, PASSWORD_MINIMUM } from './password-rules.ts';

/** Field for a password that is chosen now. */
export function NewPasswordField() {
  return (
    <Field
      name="password"
      type="password"
      label="New password"
      hint={`${PASSWORD_MINIMUM} to ${PASSWORD_LIMIT} characters. A few random words are easy to remember.`}
      autoComplete="new-password"
      minLength={PASSWORD_MINIMUM}
      maxLength={PASSWORD_LIMIT}
      required
    />
  );
}
