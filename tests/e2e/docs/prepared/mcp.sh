# A file of servers: the page's would need the internet. Its server has the same tool.
toolway tools new list_directory --kind mcp -n files --into servers
sed -i '/inputSchema/s/"text"/"path"/g; s/get("text"/get("path"/' servers/mcp/list_directory_server.py
cp servers/mcp/list_directory.yaml mcp.yaml
