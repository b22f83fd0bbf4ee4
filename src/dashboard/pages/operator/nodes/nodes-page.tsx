import { useQuery } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { Table } from '../../../parts/table.tsx';
import { NODES_KEY } from '../keys.ts';
import { NetworkNodesPanel, NODE_COLUMNS } from './network-nodes-panel.tsx';

const LIST_NODES = ['Operators', 'listNodes'] as const;
const REFRESH_MS = 10_000;

/** The ledger nodes of every network, as the process that answers knows them. */
export function NodesPage() {
  const list = useQuery({
    queryKey: NODES_KEY,
    queryFn: async ({ signal }) => (await account.listNodes({ signal })).networks,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title="Nodes"
      lead="What the process of the server that answers knows of its ledger nodes; read anew every ten seconds."
      actions={<ReferenceLink operation={LIST_NODES} />}
    >
      {list.isPending && (
        <section className="panel" aria-busy="true">
          <span className="skeleton skeleton-title" />
          <Table
            caption="Nodes"
            columns={NODE_COLUMNS}
            rows={[]}
            keyOf={({ name }) => name}
            waitingRows={2}
          />
        </section>
      )}
      {list.isError && (
        <ErrorNotice error={list.error} operation={LIST_NODES}>
          <Button type="button" onClick={() => void list.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {list.data?.map((network) => (
        <NetworkNodesPanel key={`${network.name}-${network.environment}`} network={network} />
      ))}
    </Page>
  );
}
