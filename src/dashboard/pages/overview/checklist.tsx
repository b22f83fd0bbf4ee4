import { Link } from 'wouter';
import { Icon } from '../../parts/icon.tsx';

/** The first steps that an account has done. */
export type Done = {
  readonly call: boolean;
  readonly key: boolean;
  readonly factor: boolean;
  readonly wallet: boolean;
  readonly webhook: boolean;
};

const STEPS: readonly {
  readonly id: keyof Done;
  readonly title: string;
  readonly href: string;
  readonly link: string;
}[] = [
  { id: 'call', title: 'Make a first call', href: '#endpoints', link: 'Copy a command' },
  { id: 'key', title: 'Create a key of your own', href: '/keys', link: 'API keys' },
  { id: 'factor', title: 'Protect your login with a second factor', href: '/security', link: 'Security' },
  { id: 'wallet', title: 'Create a wallet', href: '/wallets', link: 'Wallets' },
  { id: 'webhook', title: 'Have events sent to you', href: '/webhooks', link: 'Webhooks' },
];

/** The first steps of a new account; each ticks itself. Nothing once all are done. */
export function Checklist({ done }: { readonly done: Done }) {
  const left = STEPS.filter(({ id }) => !done[id]).length;
  if (left === 0) return null;
  return (
    <section className="panel" aria-labelledby="first-steps">
      <div className="panel-head">
        <h2 id="first-steps">First steps</h2>
        <span className="muted">
          {STEPS.length - left} of {STEPS.length} done
        </span>
      </div>
      <ul className="checklist">
        {STEPS.map(({ id, title, href, link }) => (
          <li key={id} className={done[id] ? 'is-done' : undefined}>
            <span className="tick">{done[id] && <Icon name="check" />}</span>
            <span>
              {title}
              {done[id] && <span className="only-read">: done</span>}
            </span>
            {!done[id] &&
              (href.startsWith('#') ? <a href={href}>{link}</a> : <Link href={href}>{link}</Link>)}
          </li>
        ))}
      </ul>
    </section>
  );
}
