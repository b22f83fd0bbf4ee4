import { createDashboard, DASHBOARD_PATH } from '../../src/server/pages/dashboard/dashboard-routes.ts';
import { createRootRedirect } from '../../src/server/pages/dashboard/root-redirect.ts';
import { createDocuments } from '../../src/server/pages/docs/documents.ts';
import { createReference, DOCS_PATH, type DocumentedNetwork } from '../../src/server/pages/docs/reference.ts';
import type { BaseUrlOf } from '../../src/server/http/base-url.ts';
import type { RouterOptions } from '../../src/server/http/router.ts';

export type PagesOptions = {
  readonly documented: readonly DocumentedNetwork[];
  readonly rpcPath: string;
  readonly baseUrlOf: BaseUrlOf;
};

/** The pages that a server has: the reference, the dashboard, and the way from the bare address to it. */
export function createPages({
  documented,
  rpcPath,
  baseUrlOf,
}: PagesOptions): Pick<RouterOptions, 'routes' | 'pages'> {
  return {
    routes: new Map([...createDocuments(), ['/', createRootRedirect([rpcPath])]]),
    pages: new Map([
      [DASHBOARD_PATH, createDashboard({ baseUrlOf })],
      [DOCS_PATH, createReference({ networks: documented, baseUrlOf, grpcUrlOf: () => undefined })],
    ]),
  };
}
