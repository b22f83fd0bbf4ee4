import { Page } from '../../parts/page.tsx';

/** The page "Operator". */
export function OperatorPage() {
  return <Page title="Operator" />;
}
