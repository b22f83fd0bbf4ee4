DROP INDEX "audit_records_wallet";--> statement-breakpoint
CREATE INDEX "audit_records_time" ON "audit_records" USING btree ("account_id","at","seq");--> statement-breakpoint
CREATE INDEX "ledger_transactions_time" ON "ledger_transactions" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_records_wallet" ON "audit_records" USING btree ("account_id","wallet_id","seq") WHERE wallet_id is not null;