import { Link } from 'wouter';
import { Page } from '../parts/page.tsx';

/** Shown for an address that has no page, or none that the member may open. */
export function NotFoundPage() {
  return (
    <Page title="Page not found" lead="There is no such page, or your role does not include it.">
      <p>
        <Link href="/">Go to the overview</Link>
      </p>
    </Page>
  );
}
