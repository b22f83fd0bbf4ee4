import { Link } from 'wouter';
import { Page } from '../parts/page.tsx';

/** Shown for an address without a page, or whose page the member may not open. */
export function NotFoundPage() {
  return (
    <Page title="Page not found" lead="This page does not exist, or your role has no access to it.">
      <p>
        <Link href="/">Go to the overview</Link>
      </p>
    </Page>
  );
}
