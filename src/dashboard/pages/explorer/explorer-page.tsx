import { Page } from '../../parts/page.tsx';

/** The page "Explorer". */
export function ExplorerPage() {
  return <Page title="Explorer" />;
}
