package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// AskAfter is the shortest time between two requests to the identity provider about one person.
const AskAfter = 10 * time.Minute

// askWithin is the time for which one replica has the exclusive right to ask.
const askWithin = 30 * time.Second

// ErrSignInAgain is returned for a person about whom the identity provider no longer answers: they must sign in again.
var ErrSignInAgain = errors.New("the identity provider no longer answers about this person")

func providerPlace(account uuid.UUID) string { return "provider_token/" + account.String() + "/secret" }

// keepProviderToken stores the token by which the provider is asked again, in place of an earlier one.
func (s *core) keepProviderToken(ctx context.Context, tx pgx.Tx, account uuid.UUID, token string) error {
	if token == "" {
		_, err := tx.Exec(ctx, `DELETE FROM provider_token WHERE id = $1`, account)
		return err
	}
	sealed, err := s.opt.Keys.seal([]byte(token), providerPlace(account))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO provider_token (id, secret, asked_at, leased_until) VALUES ($1, $2, $3, $3)
		ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, asked_at = excluded.asked_at, leased_until = excluded.leased_until`,
		account, sealed, s.now())
	return err
}

// LeaseProviderToken returns the token by which the identity provider can be asked about an account, to one caller at a time and not more
// often than [AskAfter]. It returns [ErrNotFound] if there is nothing to ask now, and [ErrSignInAgain] once the provider refused the token.
func (s Sessions) LeaseProviderToken(ctx context.Context, account uuid.UUID) (string, error) {
	now := s.now()
	var sealed []byte
	err := s.pool.QueryRow(ctx, `
		UPDATE provider_token SET leased_until = $2
		 WHERE id = $1 AND (secret IS NULL OR leased_until <= $3 AND asked_at <= $4)
		RETURNING secret`, account, now.Add(askWithin), now, now.Add(-AskAfter)).Scan(&sealed)
	switch {
	case err != nil:
		return "", plain(err)
	case sealed == nil:
		return "", ErrSignInAgain
	}
	token, err := s.opt.Keys.open(sealed, providerPlace(account))
	return string(token), err
}

// ProviderAnswered stores the provider's answer about an account; nil for one that does not have the claims, so that only the token counts.
func (s Sessions) ProviderAnswered(ctx context.Context, account uuid.UUID, token string, p *Provided) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, account); err != nil {
			return err
		}
		if err := s.keepProviderToken(ctx, tx, account, token); err != nil || p == nil {
			return err
		}
		return s.provide(ctx, tx, account, *p)
	})
}

// ProviderRefused ends the sessions of an account about which the provider no longer answers. Its clients cannot refresh their tokens until
// the person has signed in again.
func (s Sessions) ProviderRefused(ctx context.Context, account uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, account); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE provider_token SET secret = NULL, asked_at = $2 WHERE id = $1`, account, s.now()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM web_session WHERE account_id = $1`, account)
		return err
	})
}

func lockAccount(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	return plain(tx.QueryRow(ctx, `SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE`, account).Scan(&account))
}

// AccountOfRefresh returns the account of a client's refresh token, or [ErrNotFound].
func (s Sessions) AccountOfRefresh(ctx context.Context, client string, token []byte) (account uuid.UUID, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT g.account_id FROM oauth_token t JOIN oauth_grant g ON g.id = t.grant_id
		 WHERE t.hash = $1 AND t.kind = 'refresh' AND g.client_id = $2 AND g.revoked_at IS NULL`, token, client).Scan(&account)
	return account, plain(err)
}
