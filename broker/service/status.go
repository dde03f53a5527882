package service

import "net/http"

func (b *Broker) getStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, b.Status())
}
