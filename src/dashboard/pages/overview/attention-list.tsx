import { Link } from 'wouter';
import { Badge } from '../../parts/badge.tsx';
import type { Attention } from './attention-item.ts';

/** What needs attention, each with the page where it is settled. */
export function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  return (
    <section className="panel" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul className="attention">
        {items.map(({ id, tone, text, link }) => (
          <li key={id}>
            <Badge tone={tone}>{tone === 'bad' ? 'Urgent' : 'Soon'}</Badge>
            <span>{text}</span>
            {link.href.startsWith('#') ? (
              <a href={link.href}>{link.title}</a>
            ) : (
              <Link href={link.href}>{link.title}</Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
