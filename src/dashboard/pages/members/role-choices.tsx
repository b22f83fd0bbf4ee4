import type { Role } from '../../../../generated/account/types.ts';
import { ROLE_NAMES, ROLE_TEXTS } from './role-texts.ts';

/** Lets choose a role, each with what it may do. */
export function RoleChoices({ chosen }: { readonly chosen: Role }) {
  return (
    <fieldset className="choices">
      <legend>Role</legend>
      {ROLE_NAMES.map((role) => (
        <label key={role} className="choice">
          <input type="radio" name="role" value={role} defaultChecked={role === chosen} />
          <span className="cell-lines">
            <span>{ROLE_TEXTS[role].title}</span>
            <span className="field-hint">{ROLE_TEXTS[role].may}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
