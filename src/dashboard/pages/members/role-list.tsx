import { ROLE_NAMES, ROLE_TEXTS } from './role-texts.ts';

/** What each role may do, in a line. */
export function RoleList() {
  return (
    <section className="panel" aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      <dl className="role-list">
        {ROLE_NAMES.map((role) => (
          <div key={role}>
            <dt>{ROLE_TEXTS[role].title}</dt>
            <dd>{ROLE_TEXTS[role].may}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
