import type { ReactNode } from 'react';

/** A column of a table. */
export type Column<Row> = {
  readonly title: string;
  readonly show: (row: Row) => ReactNode;
  /** `number`: aligned right, digits of one width; `actions`: buttons, and the title is only read out. */
  readonly kind?: 'text' | 'number' | 'actions';
  /** Its width relative to the other columns; default 1. */
  readonly share?: number;
};

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The number of empty rows while the list is loading. */
  readonly waitingRows?: number;
};

/**
 * A table. On a narrow screen each row is a block with its columns below each other; the roles then keep the meaning of the elements.
 */
export function Table<Row>({ caption, columns, rows, keyOf, waitingRows = 0 }: TableProps<Row>) {
  const shares = columns.reduce((sum, { share = 1 }) => sum + share, 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keyboard.
    <section className="table-area" aria-label={`${caption} table`} tabIndex={0}>
      {/* biome-ignore lint/a11y/noRedundantRoles: on a narrow screen it is not displayed as a table. */}
      <table role="table">
        <caption className="only-read">{caption}</caption>
        <colgroup>
          {columns.map(({ title, share = 1 }) => (
            <col key={title} style={{ width: `${(100 * share) / shares}%` }} />
          ))}
        </colgroup>
        {/* biome-ignore lint/a11y/noRedundantRoles: as above. */}
        <thead role="rowgroup">
          {/* biome-ignore lint/a11y/noRedundantRoles: as above. */}
          <tr role="row">
            {columns.map(({ title, kind = 'text' }) => (
              // biome-ignore lint/a11y/noRedundantRoles: as above.
              <th key={title} role="columnheader" scope="col" className={`cell-${kind}`}>
                {kind === 'actions' ? <span className="only-read">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/noRedundantRoles: as above. */}
        <tbody role="rowgroup">
          {rows.map((row) => (
            // biome-ignore lint/a11y/noRedundantRoles: as above.
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, show, kind = 'text' }) => (
                // biome-ignore lint/a11y/noRedundantRoles: as above.
                <td key={title} role="cell" className={`cell-${kind}`}>
                  {kind !== 'actions' && (
                    <span className="cell-title" aria-hidden="true">
                      {title}
                    </span>
                  )}
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
          {Array.from({ length: waitingRows }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never change places.
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in the row takes the focus.
            <tr key={index} aria-hidden="true">
              {columns.map(({ title }) => (
                <td key={title}>
                  <span className="skeleton" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
