import { Page } from '../../parts/page.tsx';

/** API keys and access tokens of the account. */
export function KeysPage() {
  return <Page title="Keys and tokens" />;
}
