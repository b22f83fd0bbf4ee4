import { Page } from '../../parts/page.tsx';

/** The page "Usage". */
export function UsagePage() {
  return <Page title="Usage" />;
}
