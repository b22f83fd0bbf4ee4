import { Link } from 'wouter';
import { EntryPage } from './entry-page.tsx';

/** Shown where a link was opened without its token, after a reload for example. */
export function MissingLinkPage({ title }: { readonly title: string }) {
  return (
    <EntryPage
      title={title}
      lead="Open the whole link that you were given: its token is not in this address."
    >
      <p className="center">
        <Link href="/">Sign in</Link>
      </p>
    </EntryPage>
  );
}
