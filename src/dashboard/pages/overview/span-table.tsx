import type { ReactNode } from 'react';
import type { CallSpan } from '../../../../generated/account/types.ts';
import { SPAN_TITLES } from './span-titles.ts';

type SpanTableProps = {
  /** Names the table to those who cannot see where it stands. */
  readonly caption: string;
  /** The heads of the columns after the span. */
  readonly heads: readonly string[];
  readonly rows: readonly { readonly span: CallSpan; readonly cells: readonly ReactNode[] }[];
};

/** Figures of calls, a row for each span. Columns of all such tables are as wide as each other. */
export function SpanTable({ caption, heads, rows }: SpanTableProps) {
  return (
    <table className="span-table">
      <caption className="only-read">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Last</th>
          {heads.map((head) => (
            <th key={head} scope="col" className="cell-number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ span, cells }) => (
          <tr key={span}>
            <th scope="row">{SPAN_TITLES[span]}</th>
            {cells.map((cell, column) => (
              <td key={heads[column]} className="cell-number">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
