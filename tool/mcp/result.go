package mcp

import (
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// What is taken of the images of one result.
const (
	maxImages    = 4
	maxImageSize = 2 << 20
)

// result is what a server has answered, as a model reads it. What is left out
// leaves a mark.
func (s *Server) result(r *mcp.CallToolResult) tool.Result {
	out := tool.Result{IsError: r.IsError}
	var parts []string
	for _, content := range r.Content {
		if image, ok := content.(*mcp.ImageContent); ok {
			mark := takeImage(&out, image)
			if mark != "" {
				parts = append(parts, mark)
			}
			continue
		}
		parts = append(parts, textOf(content))
	}
	structured, err := structuredOf(r)
	switch {
	case err != nil:
		parts = append(parts, "[the structured result makes no sense and is left out: "+err.Error()+"]")
	case len(structured) > s.config.ResultLimit:
		if len(r.Content) == 0 {
			parts = append(parts, string(structured))
		}
		parts = append(parts, fmt.Sprintf("[the structured result of %d bytes is left out]", len(structured)))
	default:
		out.Structured = structured
		if len(r.Content) == 0 && len(structured) > 0 {
			parts = append(parts, string(structured))
		}
	}
	out.Text = bounded(strings.Join(parts, "\n"), s.config.ResultLimit)
	return out
}

// takeImage adds an image, or returns the mark that stands for it.
func takeImage(out *tool.Result, image *mcp.ImageContent) string {
	switch {
	case !strings.HasPrefix(image.MIMEType, "image/"):
		return fmt.Sprintf("[an image left out: its type %s is none of an image]", named(image.MIMEType))
	case len(image.Data) > maxImageSize:
		return fmt.Sprintf("[an image left out: %s, %d bytes, more than %d]", named(image.MIMEType), len(image.Data), maxImageSize)
	case len(out.Images) == maxImages:
		return fmt.Sprintf("[an image left out: %s, more than %d]", named(image.MIMEType), maxImages)
	}
	out.Images = append(out.Images, tool.Image{MIME: image.MIMEType, Data: image.Data})
	return ""
}

// structuredOf is the structured result as the server wrote it; empty where there
// is none.
func structuredOf(r *mcp.CallToolResult) (tool.JSON, error) {
	structured, err := transport.RawJSON(r.Meta, r.StructuredContent)
	if err != nil || string(structured) == "null" {
		return nil, err
	}
	var any tool.JSON
	if err := strictjson.Decode(structured, &any); err != nil {
		return nil, err
	}
	return structured, nil
}

// textOf is a part of a result that is no image, as text.
func textOf(content mcp.Content) string {
	switch c := content.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.AudioContent:
		return fmt.Sprintf("[audio: %s, %d bytes]", named(c.MIMEType), len(c.Data))
	case *mcp.ResourceLink:
		text := "[resource: " + c.URI
		for _, more := range []string{c.Name, c.Title, c.MIMEType, c.Description} {
			if more != "" {
				text += ", " + more
			}
		}
		return text + "]"
	case *mcp.EmbeddedResource:
		return resourceText(c.Resource)
	default:
		return fmt.Sprintf("[content of a kind that is not known here: %T]", content)
	}
}

func resourceText(r *mcp.ResourceContents) string {
	if r == nil {
		return "[a resource without content]"
	}
	about := "[resource: " + r.URI
	if r.MIMEType != "" {
		about += ", " + r.MIMEType
	}
	if len(r.Blob) > 0 {
		return fmt.Sprintf("%s, %d bytes that are no text]", about, len(r.Blob))
	}
	return about + "]\n" + r.Text
}

func named(mime string) string {
	if mime == "" {
		return "of no type"
	}
	return clean(mime, maxLevel)
}
