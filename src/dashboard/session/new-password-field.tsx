import { Field } from '../parts/field.tsx';

/** Field for a new password. */
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

const PASSWORD_MINIMUM = 12;
const PASSWORD_LIMIT = 128;
