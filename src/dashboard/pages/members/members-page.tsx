import { Page } from '../../parts/page.tsx';

/** The page "Members". */
export function MembersPage() {
  return <Page title="Members" />;
}
