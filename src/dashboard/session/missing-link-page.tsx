import { Link } from 'wouter';
import { EntryPage } from './entry-page.tsx';

/** Shown if a link was opened without its token, for example after a reload. */
export function MissingLinkPage({ title }: { readonly title: string }) {
  return (
    <EntryPage title={title} lead="Open the complete link that you received: this address lacks its token.">
      <p className="center">
        <Link href="/">Sign in</Link>
      </p>
    </EntryPage>
  );
}
